"""Out-of-memory messages: what a log says, and which tensor of a run it was.

``log.py`` finds the message in a log, ``message.py`` reads its figures, ``traceback.py`` the moment; ``tensors.py`` lists what a run
allocates, ``match.py`` picks the tensors of that size, ``remarks.py`` says what the figures tell beside, ``explain.py`` is the door.
"""
