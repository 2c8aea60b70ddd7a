import { type Static } from '@sinclair/typebox'
import { type BundleList, type CommandList, type ResolvedBundle as ResolvedSchema } from '../../../schemas/commands.js'
import { type Bundle, type ResolvedBundle } from './bundles.js'
import { type Command } from './command.js'

export function commandToWire ({
  name, description, category, aliases, argsHint, subcommands
}: Command): Static<typeof CommandList>['commands'][number] {
  return { name, description, category, aliases, args_hint: argsHint, subcommands, cli_only: false, gateway_only: false }
}

export function bundleToWire ({ name, description, skills }: Bundle): Static<typeof BundleList>['bundles'][number] {
  return { name, description, skill_count: skills.length, source: 'bundle' }
}

export function resolvedToWire ({ name, message, loaded, missing }: ResolvedBundle): Static<typeof ResolvedSchema> {
  return { name, source: 'bundle', message, loaded_skills: loaded, missing_skills: missing }
}
