"""One module per ecosystem: documents to settings with origins."""
