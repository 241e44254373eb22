"""Other software for local entropy beside this project's: see tools/filter_peers.py."""
