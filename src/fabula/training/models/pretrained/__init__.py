"""Models of the transformers library as models of ours: any checkpoint, trained by the same loop.

    checkpoint.py      where weights come from: a folder, the hub, an installed package
    base.py            what they share: tokenizer, the limit of tokens, what a run keeps of them
    extractive.py      points at the answer in the story
    generative.py      writes the answer
    classification.py  says which of the answers it is
    bert.py            CLUTRR's two: an encoder that is not trained, with or without an LSTM

Needs transformers: pip install 'fabula[hf]'. It is imported when a model is made, so that the
models can be listed without it.
"""
