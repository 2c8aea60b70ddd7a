import { hasOption, operandsOf, type Options } from './options.js'

/** Settings of a repository that name no program and no place. Any other setting may make a later git command run something. */
const plainSetting = /^(?:user\.(?:name|email|signingkey)|color\..+|advice\..+|branch\..+\.(?:remote|merge|rebase|description)|init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|merge\.(?:ff|conflictstyle)|rebase\.(?:autosquash|autostash)|fetch\.prune|commit\.gpgsign|rerere\.enabled|core\.(?:autocrlf|eol|filemode|ignorecase|quotepath|bare|longpaths|whitespace))$/i

/** Options with a value, which must not be mistaken for a setting. */
const valued: Options = { short: 'ft', long: ['file', 'blob', 'type', 'default', 'value', 'comment', 'url'] }

const verbs = /^(?:get|list|set|unset|edit|rename-section|remove-section)$/

/**
 * Returns whether `git config` with these words only shows settings. The action is the first word or an option; elsewhere the same word is
 * a value, or selects one of several values.
 */
export function readsSettings (args: readonly string[]): boolean {
  const verb = verbs.exec(args[0] ?? '')?.[0]
  if (verb !== undefined) return verb === 'get' || verb === 'list'
  const end = args.indexOf('--')
  const options = end === -1 ? args : args.slice(0, end)
  if (hasOption(options, 'l', '--list', '--get', '--get-all', '--get-regexp', '--get-urlmatch', '--get-color')) return true
  return operandsOf(args, valued).length === 1 && !options.some((option) => /^-e|^--(?:unset|remove|rename|edit|add|replace)/.test(option))
}

/** Returns whether `git config` with these words writes a setting that may run programs, or settings outside the repository. */
export function changesSettings (args: readonly string[]): boolean {
  if (readsSettings(args)) return false
  return hasOption(args, 'f', '--global', '--system', '--file') ||
    !plainSetting.test(operandsOf(verbs.test(args[0] ?? '') ? args.slice(1) : args, valued)[0] ?? '')
}
