import { api } from '../app.js'
import { createResource } from '../core/service/resource.js'
import { chatTitle } from '../shell/chat-title.js'
import { places } from '../shell/places.js'
import { Link } from '../ui/Link.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { toast } from '../ui/Toast.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { Loaded } from '../ui/Loaded.js'

const shares = createResource(async () => (await api.get('/api/shares')).shares)

/** Lists everything that can be read without signing in. */
export function Shares () {
  const w = screenWords.value.settings.shares
  const revoke = async (id: string): Promise<void> => {
    if (await attempt(async () => await api.post('/api/shares/revoke', { share_id: id }))) toast(w.revoked)
    await shares.refresh()
  }
  return (
    <>
      <p class='settings-note'>{w.note}</p>
      <Loaded of={shares}>
        {(list) => list.length === 0
          ? <p class='settings-note'>{w.none}</p>
          : (
            <ul class='settings-list'>
              {list.map(({ share_id: id, session_id: sessionId, title, created_at: madeAt }) => (
                <li key={id} class='settings-row'>
                  <div class='settings-row-text'>
                    <p><Link href={places.session(sessionId)}><bdi>{chatTitle(title)}</bdi></Link></p>
                    <p class='settings-note'>{w.made(times.at(madeAt))}</p>
                  </div>
                  <Button kind='danger' label={`${w.revoke}: ${chatTitle(title)}, ${times.at(madeAt)}`} onClick={() => { void revoke(id) }}>
                    {w.revoke}
                  </Button>
                </li>
              ))}
            </ul>
            )}
      </Loaded>
    </>
  )
}
