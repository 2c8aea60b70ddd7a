import { type McpServerConfig } from '../../agent/index.js'
import { Invalid } from '../../ground/errors.js'
import { mask, redact } from '../../ground/redaction/index.js'
import { type McpServerChange } from './server-change.js'

/**
 * What a client sends back as it was shown, with values masked, stays what it is. Throws Invalid for a mask that stands for nothing.
 *
 * @param before what stands in config.yaml
 */
export function keepMasked (change: McpServerChange, shown: McpServerConfig | undefined, before: unknown): McpServerChange {
  const written = (before ?? {}) as Record<string, unknown>
  const target = shown?.target as Record<string, unknown> | null | undefined
  const kept = (key: string, sent: string, was: unknown, raw: unknown): string => {
    if (!sent.includes(mask)) return sent
    if (typeof was === 'string' && typeof raw === 'string' && redact(was) === sent) return raw
    throw new Invalid(`${key}: ${mask} stands for a hidden value. Leave it unchanged, or enter the whole value`)
  }
  const all = { ...change }
  for (const key of [
    'command', 'url', 'cwd'
  ] as const) if (typeof change[key] === 'string') all[key] = kept(key, change[key], target?.[key], written[key])
  if (change.args != null) {
    const [were, raws] = [target?.args, written.args].map((list) => Array.isArray(list) ? list as unknown[] : []) as [unknown[], unknown[]]
    // Arguments before it may have come or gone.
    all.args = change.args.map((arg, at) => {
      const place = typeof were[at] === 'string' && redact(were[at]) === arg
        ? at
        : were.findIndex((was) => typeof was === 'string' && redact(was) === arg)
      return kept('args', arg, were[place], raws[place])
    })
  }
  return all
}
