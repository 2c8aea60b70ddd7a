import { hasOption } from './options.js'

/** Settings of a repository that name no program and no place. Any other may make a later git command run something. */
const plainSetting = /^(?:user\.(?:name|email|signingkey)|color\..+|advice\..+|branch\..+\.(?:remote|merge|rebase|description)|init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|merge\.(?:ff|conflictstyle)|rebase\.(?:autosquash|autostash)|fetch\.prune|commit\.gpgsign|rerere\.enabled|core\.(?:autocrlf|eol|filemode|ignorecase|quotepath|bare|longpaths|whitespace))$/i

/** True when `git config` with these words writes a setting that may run programs, or settings beyond the repository. */
export function changesSettings (args: readonly string[]): boolean {
  if (hasOption(args, '', '--get', '--get-all', '--get-regexp', '--get-urlmatch', '--list') || args.some((arg) => /^(?:-l|get|list)$/.test(arg))) return false
  const operands = args.filter((arg) => !arg.startsWith('-') && !/^(?:set|unset|edit)$/.test(arg))
  if (operands.length === 1 && !args.some((arg) => /^(?:-e|--(?:unset|remove|rename|edit).*|set|unset|edit)$/.test(arg))) return false
  return beyond(args) || !plainSetting.test(operands[0] ?? '')
}

const beyond = (args: readonly string[]): boolean => hasOption(args, 'f', '--global', '--system', '--file')
