from datasets import load_dataset
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, DataCollatorForSeq2Seq, Seq2SeqTrainer, Seq2SeqTrainingArguments

checkpoint = "org/t5"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)
prefix = "summarize: "


def preprocess(rows, source=512, target=64):
    inputs = tokenizer([prefix + doc for doc in rows["document"]], max_length=source, truncation=True)
    labels = tokenizer(text_target=rows["summary"], max_length=target, truncation=True)
    inputs["labels"] = labels["input_ids"]
    return inputs


data = load_dataset("org/news").map(preprocess, batched=True, fn_kwargs={"target": 128})
model = AutoModelForSeq2SeqLM.from_pretrained(checkpoint)
Seq2SeqTrainer(
    model=model,
    args=Seq2SeqTrainingArguments("out", predict_with_generate=True, fp16=True, per_device_train_batch_size=16, generation_max_length=128),
    train_dataset=data["train"],
    data_collator=DataCollatorForSeq2Seq(tokenizer=tokenizer, model=model),
).train()
