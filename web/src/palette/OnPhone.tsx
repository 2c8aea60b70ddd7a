import { isReachable } from '../core/service/reachable.js'
import { Dialog } from '../ui/Dialog.js'
import { QrCode } from '../ui/QrCode.js'
import { screenWords } from '../words/index.js'
import './palette.css'

/** Shows the current address as a code for a phone's camera, or why a phone cannot open it. */
export function OnPhone ({ onClose }: { onClose: () => void }) {
  const w = screenWords.value.palette
  const { href, hostname } = location
  return (
    <Dialog open onClose={onClose} title={w.phoneTitle} size='small'>
      {isReachable(hostname) ? <><QrCode text={href} /><p class='phone-address'>{href}</p><p>{w.phoneScan}</p></> : <p>{w.phoneLocal}</p>}
    </Dialog>
  )
}
