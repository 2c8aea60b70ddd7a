import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { createResource } from '../core/service/resource.js'
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
      toast(w.revoked(sayRule(key)))
    }
    setBusy(null)
  }
  return (
    <Part name='rules'>
      <Loaded of={grants}>
        {(list) => list.length === 0
          ? <p class='settings-note'>{w.none}</p>
          : (
            <ul class='settings-list'>
              {list.map(({ pattern_key: key }) => (
                <li key={key} class='settings-row'>
                  <div class='settings-row-text'>
                    <p><bdi>{sayRule(key)}</bdi></p>
                    <p class='settings-key'><bdi dir='ltr'>{key}</bdi></p>
                  </div>
                  <Button label={`${w.revoke}: ${sayRule(key)}`} busy={busy === key} onClick={() => { void revoke(key) }}>
                    {w.revoke}
                  </Button>
                </li>
              ))}
            </ul>
            )}
      </Loaded>
    </Part>
  )
}
