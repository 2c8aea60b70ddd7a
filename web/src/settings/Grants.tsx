import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { visible } from '../core/files/paths.js'
import { createResource } from '../core/service/resource.js'
import { ruleOf, type Rule } from '../prompts/describe.js'
import { sayRule } from '../prompts/say.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { toast } from '../ui/Toast.js'
import { screenWords } from '../words/index.js'
import { Loaded } from '../ui/Loaded.js'
import { Part } from './Part.js'

const grants = createResource(async () => (await api.get('/api/grants')).grants)

/** Lists the permanent rules: what the agent may do without asking. */
export function Grants () {
  const [busy, setBusy] = useState<string | null>(null)
  const w = screenWords.value.settings.grants
  const revoke = async (key: string): Promise<void> => {
    setBusy(key)
    if (await attempt(async () => grants.set((await api.post('/api/grants/revoke', { pattern_key: key })).grants))) {
      toast(w.revoked(sentenceOf(key)))
    }
    setBusy(null)
  }
  return (
    <Part name='rules'>
      <Loaded of={grants}>
        {(list) => list.length === 0
          ? <p class='settings-note'>{w.none}</p>
          : (
            <div class='rules'>
              {groupsOf(list).map(({ group, rules }) => (
                <section key={group} aria-labelledby={`rules-${group}`}>
                  <h4 id={`rules-${group}`}>{w.groups[group]}</h4>
                  <ul class='settings-list'>
                    {rules.map(({ key, rule }) => (
                      <li key={key} class='settings-row'>
                        <div class='settings-row-text'><p><RuleText rule={rule} sentence={sentenceOf(key)} /></p></div>
                        <Button
                          size='small' label={`${w.revoke}: ${sentenceOf(key)}`} busy={busy === key} onClick={() => { void revoke(key) }}
                        >
                          {w.revoke}
                        </Button>
                      </li>
                    ))}
                  </ul>
                </section>
              ))}
            </div>
            )}
      </Loaded>
    </Part>
  )
}

/** Says a rule so that no other has the same sentence: the state of a repository's hooks is named by its seal. */
function sentenceOf (key: string): string {
  const rule = ruleOf(key)
  return rule.kind === 'ownGit' ? `${sayRule(key)} (${visible(rule.seal)})` : sayRule(key)
}

const groups = ['command', 'net', 'mcp', 'other'] as const
type Group = typeof groups[number]

/** Returns the rules by what they allow, in the order of `groups`; empty groups are left out. */
function groupsOf (list: ReadonlyArray<{ pattern_key: string }>) {
  const rules = list.map(({ pattern_key: key }) => ({ key, rule: ruleOf(key) }))
  return groups.map((group) => ({ group, rules: rules.filter(({ rule }) => groupOf(rule) === group) }))
    .filter((one) => one.rules.length > 0)
}

const groupOf = ({ kind }: Rule): Group => kind === 'command' || kind === 'net' || kind === 'mcp' ? kind : 'other'

/** What the heading of its group leaves open; the others are whole sentences. */
function RuleText ({ rule, sentence }: { rule: Rule, sentence: string }) {
  switch (rule.kind) {
    case 'command': return <code dir='ltr'>{visible(rule.command)}</code>
    case 'net': return <code dir='ltr'>{visible(rule.host)}</code>
    case 'mcp': return <><code dir='ltr'>{visible(rule.tool)}</code> <bdi class='settings-note'>{visible(rule.server)}</bdi></>
    case 'other': return <bdi>{sentence}</bdi>
    default: return <bdi class='rules-sentence'>{sentence}</bdi>
  }
}
