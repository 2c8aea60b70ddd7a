import { Button } from '../ui/Button.js'
import { PanelRight } from '../ui/icons.js'
import { words } from '../words/index.js'
import { closeSide, openSide, sideTab } from './open.js'

/** Opens and closes the panel; placed in the header of the conversation. */
export function SideToggle () {
  const isOpen = sideTab.value !== null
  const w = words.value.shell
  return (
    <Button
      kind='quiet' icon={PanelRight} label={isOpen ? w.closeSide : w.openSide} aria-expanded={isOpen}
      class='side-toggle'
      onClick={() => { if (isOpen) closeSide(); else openSide() }}
    />
  )
}
