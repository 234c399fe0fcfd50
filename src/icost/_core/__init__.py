"""What every other room uses: validation, labels, tables, files and statistics."""
