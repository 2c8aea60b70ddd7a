import { readProfileSettings } from '../home/settings.js'
import { createRoutes, type OutgoingSection, type Routes } from './routes.js'

type Environment = Readonly<Record<string, string | undefined>>

let place: { home: string, env: Environment } | null = null
let known: { env: Environment | null, section: string, routes: Routes } | null = null
let inThisPass: Routes | null = null

/**
 * Sets what determines this process's outgoing connections: the home of the default profile, whose config.yaml may hold `outgoing`, and the
 * environment. Called by the entry of a program, or by the app. Until then nothing goes through a proxy.
 */
export function configureOutgoing (home: string, env: Environment): void {
  place = { home, env }
  inThisPass = null
}

/**
 * Returns how connections leave this machine now: the same object until the settings change. The calls of one pass of the event loop share
 * a look at the settings, so a change is seen a pass later. Never throws.
 */
export function outgoingRoutes (): Routes {
  if (inThisPass === null) {
    inThisPass = readRoutes()
    setImmediate(() => { inThisPass = null })
  }
  return inThisPass
}

function readRoutes (): Routes {
  const section: OutgoingSection = place === null ? {} : readProfileSettings(place.home, place.env).config.outgoing ?? {}
  const text = JSON.stringify(section)
  if (known?.section !== text || known.env !== (place?.env ?? null)) {
    known = { env: place?.env ?? null, section: text, routes: createRoutes(place?.env ?? {}, section) }
  }
  return known.routes
}

/**
 * Returns variables with which other programs find their way out. A proxy's password is only for git and other makers' agents
 * (`isTrusted`), because the model can read the environment of commands and MCP servers.
 */
export const proxyVariables = (isTrusted: boolean): Record<string, string> => outgoingRoutes().variables(isTrusted)
