from .defaults import *

NAME = "sft"
