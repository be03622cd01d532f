// Loaded before the official suite, which sends no token: adds one to its requests. Everything else
// of a request stays as the suite made it.

import http from "node:http";
import { createRequire } from "node:module";

const value = `Bearer ${process.env.DWELL_TOKEN}`;

const request = http.request;
http.request = (...given) => {
  const sent = request(...given);
  sent.setHeader("authorization", value);
  return sent;
};

// `fetch` and the suite's own copy of undici share this dispatcher.
const { getGlobalDispatcher, setGlobalDispatcher } = createRequire(process.argv[1])("undici");
const withToken = (dispatch) => (options, handler) => {
  const headers = options.headers ?? {};
  const isFlat = Array.isArray(headers);
  const pairs = isFlat ? headers : typeof headers[Symbol.iterator] === "function" ? [...headers].flat() : undefined;
  const all = pairs ? [...pairs, "authorization", value] : { ...headers, authorization: value };
  return dispatch({ ...options, headers: all }, handler);
};
setGlobalDispatcher(getGlobalDispatcher().compose(withToken));
