// Exchanges a pairing code for a session of this browser. The code comes behind the # of the address, which no server is told.
const form = document.querySelector('form')
const message = document.querySelector('#message')
const { code } = form.elements
const button = form.querySelector('button')

// It is not to stay in the history. What is in no code is not decoded either: that could fail, and the form would be sent by the browser.
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

/** What went wrong, in words, or null. */
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
