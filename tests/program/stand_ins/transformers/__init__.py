"""The little of transformers that training scripts touch."""

from transformers.hf_argparser import HfArg, HfArgumentParser
from transformers.models import *
from transformers.tokenizers import *
from transformers.trainer import *
from transformers.training_args import Seq2SeqTrainingArguments, TrainingArguments

__version__ = "4.57.6"
