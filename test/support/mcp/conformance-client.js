// Started as a client by the conformance suite of the Model Context Protocol: makes the test's service connect to the server that the suite
// has started, and exits with the result.
const [control, url] = process.argv.slice(2)
const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context } = process.env
const answer = await fetch(control, {
  method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ scenario, url, context: context === undefined ? {} : JSON.parse(context) })
})
console.log(await answer.text())
process.exitCode = answer.ok ? 0 : 1
