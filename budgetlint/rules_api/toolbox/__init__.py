"""What most rules ask, written once: `budgetlint.rule` hands all of it out, and loads a module when one of its names is asked for.

`values` what one setting is and how a message says it, `documents` groups of formats and what stands in one document, `runs` what a whole
run writes and does, `device` the card it runs on and whether a cost decides anything there.
"""
