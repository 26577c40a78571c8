"""What all tests count on."""

import os

# what a developer's machine was tuned for must not change what is tested
os.environ["ACCSHARE_TUNING"] = os.devnull
