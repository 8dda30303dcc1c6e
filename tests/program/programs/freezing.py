from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments

model = AutoModelForSequenceClassification.from_pretrained("org/encoder", num_labels=4)
model.requires_grad_(False)
for name, param in model.named_parameters():
    param.requires_grad = name.startswith("lm_head") or ".layers.1." in name
trainable = [n for n, p in model.named_parameters() if p.requires_grad]
args = TrainingArguments("out", per_device_train_batch_size=32, learning_rate=1e-3 if trainable else 1e-5)
Trainer(model=model, args=args).train()
