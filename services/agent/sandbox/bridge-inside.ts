/** Variable with the settings of the inner end; it is read and removed before any other program starts. */
const orderVariable = 'AGENT_BRIDGE'

/**
 * Runs in the sandbox, in the service's own Node.js: listens at each port on the loopback, passes connections to the socket of that port,
 * and then starts the program and ends with it. It does not decide what may be reached.
 */
const script = `const { spawn } = require('node:child_process')
const { connect, createServer } = require('node:net')
const { pipeline } = require('node:stream')
const { sockets, variables } = JSON.parse(process.env.${orderVariable})
delete process.env.${orderVariable}
const listen = (port, path, host) => new Promise((resolve) => {
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ path, allowHalfOpen: true })
    for (const [from, to] of [[near, far], [far, near]]) pipeline(from, to, () => {})
  })
  server.on('error', (error) => {
    if (host === '127.0.0.1') console.error('Port ' + port + ' cannot be used in the sandbox: ' + error.code)
    resolve()
  })
  server.listen({ port, host }, resolve)
})
const listening = Object.entries(sockets).flatMap(([port, path]) => ['127.0.0.1', '::1'].map((host) => listen(Number(port), path, host)))
Promise.all(listening).then(() => {
  const [program, ...args] = process.argv.slice(1)
  spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...variables } })
    .on('error', (error) => {
      console.error(program + ' cannot be started: ' + error.code)
      process.exit(127)
    })
    .on('exit', (code, signal) => process.exit(code ?? 128 + require('node:os').constants.signals[signal]))
})`

/** Where the sockets are in the sandbox. */
export const bridgeFolder = '/run/bridge'

/** Programs read them in upper or lower case. */
const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
/** Servers in the sandbox itself, and ports of the bridge. */
const inner = 'localhost,127.0.0.1,::1'

/** Returns the variables that make programs use the bridge. */
export const bridgeVariables = (proxyPort: number): Record<string, string> => ({
  ...Object.fromEntries(proxyVariables.map((name) => [name, `http://127.0.0.1:${proxyPort}`])),
  NO_PROXY: inner, no_proxy: inner,
  // Node.js ignores the other variables by default.
  NODE_USE_ENV_PROXY: '1'
})

/** Returns the command that starts a program at the inner end, and its environment. Variables of Node.js reach only the program. */
export function startedInside (
  { node, sockets, env }: { node: string, sockets: Readonly<Record<number, string>>, env: Readonly<Record<string, string>> }
): { command: string[], env: Record<string, string> } {
  const entries = Object.entries(env)
  const order = JSON.stringify({
    sockets: Object.fromEntries(Object.entries(sockets).map(([port, name]) => [port, `${bridgeFolder}/${name}`])),
    variables: Object.fromEntries(entries.filter(([name]) => name.startsWith('NODE_')))
  })
  return {
    command: [node, '-e', script, '--'],
    env: { ...Object.fromEntries(entries.filter(([name]) => !name.startsWith('NODE_'))), [orderVariable]: order }
  }
}
