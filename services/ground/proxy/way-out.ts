import { readProfileSettings } from '../home/settings.js'
import { createRoutes, type OutgoingSection, type Routes } from './routes.js'

type Environment = Readonly<Record<string, string | undefined>>

let place: { home: string, env: Environment } | null = null
let known: { env: Environment | null, section: string, routes: Routes } | null = null

/**
 * Says by what this process finds its way out: the home of the default profile, whose config.yaml may hold `outgoing`, and the environment.
 * Called by the entry of a program, or by the app. Until then nothing goes through a proxy.
 */
export function goesOutBy (home: string, env: Environment): void {
  place = { home, env }
}

/** How connections leave this machine now: the same object until the settings change. Never throws. */
export function routesOut (): Routes {
  const section: OutgoingSection = place === null ? {} : readProfileSettings(place.home, place.env).config.outgoing ?? {}
  const text = JSON.stringify(section)
  if (known?.section !== text || known.env !== (place?.env ?? null)) {
    known = { env: place?.env ?? null, section: text, routes: createRoutes(place?.env ?? {}, section) }
  }
  return known.routes
}

/**
 * Variables with which programs of others find their way out. A password of a proxy is for git and agents of other makers alone
 * (`isTrusted`): what commands and MCP servers have in their environment, the model can read.
 */
export const variablesOut = (isTrusted: boolean): Record<string, string> => routesOut().variables(isTrusted)
