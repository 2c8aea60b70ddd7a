import { navigate } from 'wouter-preact/use-browser-location'
import { sessions } from '../../app.js'
import { type Wire } from '../../core/service/api.js'
import { chatTitle } from '../../shell/chat-title.js'
import { places } from '../../shell/places.js'
import { tellOnce } from '../../shell/tell-once.js'
import { toast } from '../../ui/toasts.js'
import { loadScreenWords, screenWords } from '../../words/index.js'
import { openSide, sideTab } from '../open.js'

type News = Wire<'PullNews'>

/** The events in the visible toasts, by pull request, so that further events are added. */
const shown = new Map<string, ReadonlyArray<News['event']>>()

/** Reports an event of a pull request, unless the pull request is on the screen. */
export async function tellOfPull ({ session_id: sessionId, host, repository, number, event, at }: News): Promise<void> {
  await loadScreenWords()
  const about = `pull ${host} ${repository} ${number}`
  await tellOnce(`${about} ${event} ${at}`, at * 1_000, () => {
    const path = places.session(sessionId)
    if (location.pathname === path && sideTab.peek() === 'changes') return
    const w = screenWords.value.pulls.told
    const events = [...(shown.get(about) ?? []).filter((one) => one !== event), event]
    const title = sessions.row(sessionId)?.title
    const what = events.map((one) => w.events[one]).join(', ')
    toast(title === undefined ? w.of(number, what) : w.ofChat(number, what, chatTitle(title)), {
      about,
      kind: events.includes('checks_failed') ? 'bad' : events.every((one) => one === 'commented' || one === 'closed') ? 'plain' : 'good',
      action: {
        text: w.show,
        onPick: () => {
          navigate(path)
          requestAnimationFrame(() => openSide('changes'))
        }
      },
      onGone: () => { shown.delete(about) }
    })
    // The previous toast has been removed by now.
    shown.set(about, events)
  })
}
