"""From a folder of documents to a benchmark: documents → segments → drafts → cases.

Every step is a function from records to records (`records`), takes its means as an argument (a chat model in
`by_model`, rules in `by_rule`) and says why it rejects what it rejects. `build` puts the steps in order.
"""
