import { api, forgetHere, signIn } from '../app.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { screenWords } from '../words/index.js'
import { Part } from './Part.js'
import { serviceSettings } from './store.js'

/** Ends the sign-in of this browser. */
export function SignOut () {
  if (serviceSettings.value.value?.logged_in !== true) return null
  const signOut = async (): Promise<void> => {
    if (!await attempt(async () => await api.post('/api/auth/logout'))) return
    await forgetHere()
    signIn()
  }
  return (
    <Part name='sign_out'>
      <div><Button onClick={() => { void signOut() }}>{screenWords.value.settings.gate.signOut}</Button></div>
    </Part>
  )
}
