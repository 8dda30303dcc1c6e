batch_size = 1
model = "org/base-70b"
compile = False
