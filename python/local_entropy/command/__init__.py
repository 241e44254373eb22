"""The command local-entropy: images in files, block by block, larger than memory."""
