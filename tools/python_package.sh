#!/usr/bin/env bash
# Makes an sdist of the Python package, a wheel of the sdist, and tests the wheel where nothing else
# is installed: tools/python_package.sh PYTHON BUILD TO. BUILD has the objects of this tree; the
# sources of the sdist are not newer.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:?usage: python_package.sh PYTHON BUILD TO} build=$2 to=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" -m venv "$work/makes"
"$work/makes/bin/pip" install --quiet build
rm -rf "$to/dist"
BUILD=$build "$work/makes/bin/python" -m build --outdir "$work/dist" python
mkdir -p "$to"
mv "$work/dist" "$to/dist"

"$python" -m venv "$work/tries"
"$work/tries/bin/pip" install --quiet "$(echo "$to"/dist/*.whl)[test]"
cp -r python/tests "$work/tests"
cd "$work"
tries/bin/python -m pytest -q -p no:cacheprovider --doctest-modules tests --pyargs local_entropy
cd "$OLDPWD"
ls -l "$to/dist"
