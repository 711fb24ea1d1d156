"""What a person reads: tables and stories from stored records."""
