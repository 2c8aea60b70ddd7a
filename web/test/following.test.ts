import t from '../../test/support/harness.js'
import { Following } from '../src/core/screen/following.js'

/** A view of 100 on something that grows; its bar stops at the ends as a browser's does. */
function view (height: number) {
  let top = 0
  const scroller = {
    scrollHeight: height,
    clientHeight: 100,
    get scrollTop () { return top },
    set scrollTop (to: number) { top = Math.max(0, Math.min(to, this.scrollHeight - this.clientHeight)) }
  }
  const following = new Following(() => scroller)
  const grow = (by: number): void => {
    scroller.scrollHeight += by
    following.grown()
  }
  const byHand = (to: number): void => {
    following.moved(to < top ? 'back' : 'on')
    scroller.scrollTop = to
    following.scrolled()
  }
  return { scroller, following, grow, byHand }
}

t.test('it stays at the end of what grows, and never takes the place of a reader who has scrolled up', async (t) => {
  const { scroller, following, grow, byHand } = view(500)
  following.toEnd()
  t.equal(scroller.scrollTop, 400)
  grow(50)
  t.equal(scroller.scrollTop, 450)
  byHand(300)
  t.equal(following.is.value, false)
  grow(500)
  t.equal(scroller.scrollTop, 300, 'what comes in moves nothing')
  byHand(200)
  byHand(scroller.scrollHeight)
  t.equal(following.is.value, true, 'whoever comes to the end by hand follows again')
  grow(10)
  t.equal(scroller.scrollTop, scroller.scrollHeight - 100)
})

t.test('a place that nobody chose by hand decides nothing', async (t) => {
  const { scroller, following, grow } = view(500)
  following.toEnd()
  // Something above has become smaller, or the view has another size: a scroll event comes that is nobody's.
  scroller.scrollHeight = 900
  following.scrolled()
  t.equal(following.is.value, true)
  grow(0)
  t.equal(scroller.scrollTop, 800)
  following.leave()
  grow(100)
  t.equal(scroller.scrollTop, 800, 'a heading that was jumped to stays')
  following.scrolled()
  t.equal(following.is.value, false)
  following.toEnd()
  t.equal(following.is.value, true)
})

t.test('a wheel turned up at the very top, or in what fits, is no wish to stay', async (t) => {
  const { following } = view(80)
  following.moved('back')
  t.equal(following.is.value, true)
})
