#!/bin/sh
acme-submit --file job.yaml
