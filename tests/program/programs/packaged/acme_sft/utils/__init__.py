from . import dtypes as dtypes
