#!/usr/bin/env bash
# Builds dist/budgetlint.vsix with the packages of package-lock.json (node 20 or newer). Install it with
# `code --install-extension dist/budgetlint.vsix`.
set -euo pipefail
cd "$(dirname "$0")"
npm ci --ignore-scripts --no-audit --no-fund
npm run --silent check
npm run --silent bundle
cp ../../LICENSE LICENSE.txt
npx vsce package --no-dependencies --allow-missing-repository --out dist/budgetlint.vsix
