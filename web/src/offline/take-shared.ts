import { computed } from '@preact/signals'
import { navigate } from 'wouter-preact/use-browser-location'
import { link, login } from '../app.js'
import { sharedStore } from '../core/device/shared-store.js'
import { takeShares } from '../core/composer/taking-shares.js'
import { openConversation } from '../conversation/opened.js'
import { places } from '../shell/places.js'
import { toast } from '../ui/toasts.js'
import { words } from '../words/index.js'

/** What was shared with this app goes into the box of a new chat; of several windows, one does it. */
export async function takeKeptShares (): Promise<void> {
  let mustAsk = mayBeOfSite()
  const { locks }: Partial<Navigator> = navigator
  const take = async (): Promise<void> => await takeShares({
    store: sharedStore(),
    box: async () => {
      if (mustAsk || location.pathname !== places.start) await asked()
      mustAsk = false
      return openConversation(null)
    },
    isOpen: computed(() => link.state.value === 'open' && login.isConfirmed.value),
    say: {
      waiting: (count) => toast(words.value.offline.filesWait(count), { about: 'shared' }),
      leftOut: (files) => toast(words.value.offline.sharedLeftOut(
        files.map(({ name }) => name), files.some(({ why }) => why === 'large')
      ), { kind: 'bad', about: 'shared-left-out' }),
      tooMany: (count) => toast(words.value.composer.leftOut(count), { kind: 'bad', about: 'upload' }),
      failed: (why) => toast(why, { kind: 'bad', about: 'upload' })
    }
  })
  if (locks === undefined) return await take()
  await locks.request('shared', { ifAvailable: true }, async (lock) => { if (lock !== null) await take() })
}

/** In a tab of a browser another site may have sent it: a system shares with the window of the installed app. */
const mayBeOfSite = (): boolean => matchMedia('(display-mode: browser)').matches

/** Whoever looks at something else is asked first, and so is everybody where it is not certain who has shared it. */
async function asked (): Promise<void> {
  await new Promise<void>((resolve) => {
    toast(words.value.offline.sharedWaits, { about: 'shared', action: { text: words.value.offline.open, onPick: resolve } })
  })
  if (location.pathname !== places.start) navigate(places.start)
}
