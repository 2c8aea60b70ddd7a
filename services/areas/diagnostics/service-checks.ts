import { type Check } from './check.js'
import { agentsCheck, type AgentsOptions } from './checks/agents.js'
import { configurationCheck, type ConfigurationOptions } from './checks/configuration.js'
import { logCheck } from './checks/log.js'
import { machinesCheck, type MachinesOptions } from './checks/machines.js'
import { mcpCheck } from './checks/mcp.js'
import { providersCheck, type ProvidersOptions } from './checks/providers.js'
import { pushCheck } from './checks/push.js'
import { schedulesCheck } from './checks/schedules.js'
import { updatesCheck } from './checks/updates.js'

export interface ServiceOptions extends MachinesOptions {
  configuration: ConfigurationOptions
  providers: ProvidersOptions
  agents: AgentsOptions
  mcp: Parameters<typeof mcpCheck>[0]
  push: Parameters<typeof pushCheck>[0]
  schedules: Parameters<typeof schedulesCheck>[0]
  updates: Parameters<typeof updatesCheck>[0]
  linesLost: () => number
}

/** Checks of state that only the running service knows. */
export function serviceChecks (options: ServiceOptions): Check[] {
  return [
    configurationCheck(options.configuration),
    updatesCheck(options.updates),
    logCheck(options),
    providersCheck(options.providers),
    agentsCheck(options.agents),
    mcpCheck(options.mcp),
    schedulesCheck(options.schedules),
    pushCheck(options.push),
    machinesCheck(options)
  ]
}
