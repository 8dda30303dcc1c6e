import sys

import gin
from acme import loop

gin.parse_config_file(sys.argv[1])
loop.main()
