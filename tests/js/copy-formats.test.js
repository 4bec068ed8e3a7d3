import assert from "node:assert/strict";
import { test } from "node:test";
import { matrixText } from "../../static/js/lib/copy-formats.js";

const source = {
  trace: "demo", tensor: "layers.0.weights", head: 2, query: 1, key: 0,
  matrix: {
    queries: 2, keys: 3, values: Float64Array.of(1, 0, 0, 0.258646, 0.741354, 1e-7),
  },
  queryLabels: ["the", 'say "hi", twice'], keyLabels: ["the", "=1+1", "a\nb"],
};

test("NumPy text is Python that names the tensor and the index", () => {
  assert.equal(matrixText("numpy", "cell", source),
    "0.258646  # demo: layers.0.weights[0, 2, 1, 0]\n");
  assert.equal(matrixText("numpy", "row", source),
    "# demo: layers.0.weights[0, 2, 1], a number for each key\n"
    + "np.array([0.258646, 0.741354, 1e-7])\n");
  assert.equal(matrixText("numpy", "matrix", source),
    "# demo: layers.0.weights[0, 2], a row for each query\nnp.array([\n"
    + "    [1.0, 0.0, 0.0],\n    [0.258646, 0.741354, 1e-7],\n])\n");
});

test("JSON text holds what the trace holds, with its axes", () => {
  assert.deepEqual(JSON.parse(matrixText("json", "matrix", source)), {
    trace: "demo", tensor: "layers.0.weights", index: [0, 2], dims: ["query", "key"],
    values: [[1, 0, 0], [0.258646, 0.741354, 1e-7]],
  });
  assert.deepEqual(JSON.parse(matrixText("json", "row", source)).values,
    [0.258646, 0.741354, 1e-7]);
  assert.equal(JSON.parse(matrixText("json", "cell", source)).values, 0.258646);
});

test("CSV text quotes its labels, and none can begin a spreadsheet's formula", () => {
  assert.equal(matrixText("csv", "matrix", source),
    '"query","0 the","1 =1+1","2 a\nb"\r\n"0 the",1,0,0\r\n'
    + '"1 say ""hi"", twice",0.258646,0.741354,1e-7\r\n');
  assert.equal(matrixText("csv", "cell", source),
    '"query","0 the"\r\n"1 say ""hi"", twice",0.258646\r\n');
  assert.equal(matrixText("csv", "row", source).split("\r\n").length, 3);
});

test("what is not finite stays readable in each format", () => {
  const matrix = { queries: 1, keys: 3, values: Float64Array.of(-Infinity, NaN, 2) };
  const scores = { ...source, matrix, query: 0, queryLabels: ["the"] };
  assert.match(matrixText("numpy", "row", scores), /\[-np\.inf, np\.nan, 2\.0\]/);
  assert.deepEqual(JSON.parse(matrixText("json", "row", scores)).values,
    ["-Infinity", "NaN", 2]);
  assert.match(matrixText("csv", "row", scores), /-Infinity,NaN,2/);
});
