from metaflow import FlowSpec, Parameter, resources, step

from acme.tune import tune


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
