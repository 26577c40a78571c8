"""What makes ``accshare-cc`` behave as a compiler: argument lists, preprocessing, the cache, the host compiler.

`words`, `response` and `scan` need nothing but the interpreter: `accshare.cc` uses them before it knows whether there
is anything to do. `drive` is where a command line with acc pragmas goes.
"""
