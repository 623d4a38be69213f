#!/usr/bin/env python3
"""Says that there are notes."""

import os

if os.path.isdir("notes"):
    print("There are notes in notes/.")
