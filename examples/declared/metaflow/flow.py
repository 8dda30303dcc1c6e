from acme.tune import tune
from metaflow import FlowSpec, Parameter, resources, step


class Tune(FlowSpec):
    rows = Parameter("rows", default=2)

    @resources(gpu=1)
    @step
    def start(self):
        tune("mistral-7b", rows=self.rows)
        self.next(self.end)

    @step
    def end(self):
        pass


Tune()
