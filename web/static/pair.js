// Exchanges a pairing code for a session of this browser. The code follows the # of the address, which browsers do not send to servers.
const form = document.querySelector('form')
const message = document.querySelector('#message')
const { code } = form.elements
const button = form.querySelector('button')

// The code must not stay in the history. It is not decoded: codes need no escapes, and an error here would leave the form to the browser.
code.value = window.location.hash.slice(1)
window.history.replaceState(null, '', window.location.pathname)
if (code.value === '') code.focus()
else button.focus()

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  button.disabled = true
  message.textContent = ''
  const problem = await pair()
  if (problem === null) {
    window.location.replace('/')
    return
  }
  message.textContent = problem
  button.disabled = false
  code.select()
})

/** Resolves with a message about what failed, or null. */
async function pair () {
  try {
    const response = await window.fetch('/api/auth/pair', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code: code.value, as: 'session' })
    })
    if (response.ok) return null
    const { error } = await response.json()
    return error
  } catch {
    return document.querySelector('main').dataset.unreachable
  }
}
