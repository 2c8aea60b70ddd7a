import { RequestError } from '@agentclientprotocol/sdk'
import { type Dialect, type Fields, type Line } from './dialect.js'
import { SecondDialect } from './v2/dialect.js'

const capabilities = {
  fs: { readTextFile: true, writeTextFile: true }, terminal: true, elicitation: { form: {} }, session: { notices: {} }
}

/** Returns the parameters of `initialize`, in both versions at once if the agent may choose. */
export function hello (newest: 1 | 2): Fields {
  const info = { name: 'service', version: '1' }
  return {
    protocolVersion: newest, clientInfo: info, clientCapabilities: capabilities,
    ...(newest === 2 && { info, capabilities: { elicitation: capabilities.elicitation } })
  }
}

/** Returns the version that an agent has chosen with its answer; null if it is not supported here. */
export function dialectOf (answer: Fields, line: Line): Dialect | null {
  const { protocolVersion, capabilities: own, agentCapabilities } = answer
  // Some agents of version 1 repeat the number that they were asked for.
  if (protocolVersion === 1 || (protocolVersion === 2 && own === undefined && agentCapabilities !== undefined)) return first(answer, line)
  return protocolVersion === 2 ? new SecondDialect(answer, line) : null
}

function first (answer: Fields, line: Line): Dialect {
  return {
    version: 1,
    initialized: { ...answer, protocolVersion: 1 },
    request: async (method, params) => await line.send(method, params),
    updates: (params) => [params],
    serve: async (_method, params, act) => await act(params)
  }
}

/** Whether an error may reject the version asked for, so that an older one is worth a try. */
export const refusesVersion = (error: unknown): boolean => error instanceof RequestError && error.code !== -32_000
