import { useLayoutEffect } from 'preact/hooks'
import { lazy } from '../ui/lazy.js'
import { isPhone } from '../ui/screen.js'
import { overlay, palette, takeTypedAhead, typeAhead } from './palette.js'
import { OpenMenus } from './OpenMenus.js'

const Palette = lazy(async () => (await import('../palette/Palette.js')).Palette, { waiting: <TypeAhead /> })
const Shortcuts = lazy(async () => (await import('../palette/Shortcuts.js')).Shortcuts, { waiting: null })
const OnPhone = lazy(async () => (await import('../palette/OnPhone.js')).OnPhone, { waiting: null })

/** The layers that may lie over every screen, loaded on first use. */
export function Overlays () {
  const close = (): void => { overlay.value = null }
  return (
    <>
      {palette.value ? <Palette onClose={() => { palette.value = false }} /> : null}
      {/* On wider screens they are in the list of chats, which is always mounted there. */}
      {isPhone.value ? <OpenMenus /> : null}
      {overlay.value === 'shortcuts' ? <Shortcuts onClose={close} /> : null}
      {overlay.value === 'phone' ? <OnPhone onClose={close} /> : null}
    </>
  )
}

function TypeAhead () {
  useLayoutEffect(() => {
    takeTypedAhead()
    document.addEventListener('keydown', typeAhead, true)
    return () => document.removeEventListener('keydown', typeAhead, true)
  }, [])
  return null
}
