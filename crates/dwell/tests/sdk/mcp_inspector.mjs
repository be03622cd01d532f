// The MCP Inspector's command line: tools, a question, resources and prompts.
//
// Usage: mcp_inspector.mjs URL TOKEN

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { HELLO, check, run, same } from "./checks.mjs";

const [url, token] = process.argv.slice(2);

async function inspect(...options) {
  const program = [process.cwd(), "node_modules/.bin/mcp-inspector"].join("/");
  const server = [`${url}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${token}`];
  const { stdout } = await promisify(execFile)(process.execPath, [program, "--cli", ...server, ...options]);
  return JSON.parse(stdout);
}

await run({
  async tools() {
    const names = (await inspect("--method", "tools/list")).tools.map((tool) => tool.name);
    check(["ask", "start_session", "search_memories"].every((name) => names.includes(name)), `the tools are ${names}`);
  },

  async ask() {
    const result = await inspect("--method", "tools/call", "--tool-name", "ask", "--tool-arg", `message=${HELLO}`);
    same(result.structuredContent.response.final_message, "Hello there.", "the answer");
  },

  async resources() {
    const { resourceTemplates } = await inspect("--method", "resources/templates/list");
    check(resourceTemplates.some((one) => one.uriTemplate.startsWith("session://")), "there are no sessions");
  },

  async prompts() {
    const { prompts } = await inspect("--method", "prompts/list");
    check(prompts.some((one) => one.name === "summary"), "there is no prompt `summary`");
  },
});
