import { computed } from '@preact/signals'
import { navigate } from 'wouter-preact/use-browser-location'
import { link, login } from '../app.js'
import { sharedStore } from '../core/device/shared-store.js'
import { takeShares } from '../core/composer/taking-shares.js'
import { openConversation } from '../conversation/open-chat.js'
import { places } from '../shell/places.js'
import { toast } from '../ui/toasts.js'
import { words } from '../words/index.js'

/** Puts content that was shared with this app into the box of a new chat; only one window does so. */
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

/** Whether another site may have sent it: true in a browser tab, because systems share with the installed app's window. */
const mayBeOfSite = (): boolean => matchMedia('(display-mode: browser)').matches

/** Asks a person who is on another screen, and everyone if the origin of the share is uncertain. */
async function asked (): Promise<void> {
  await new Promise<void>((resolve) => {
    toast(words.value.offline.sharedWaits, { about: 'shared', action: { text: words.value.offline.open, onPick: resolve } })
  })
  if (location.pathname !== places.start) navigate(places.start)
}
