import { type Words } from '../en/index.js'

export const home: Words['home'] = {
  greeting: (hour) => hour < 5 ? '夜深了。' : hour < 12 ? '早上好。' : hour < 18 ? '下午好。' : '晚上好。',
  since: '你离开的这段时间：',
  waiting: (count) => `${count} 项等你处理`,
  finished: (count) => `${count} 项已完成`,
  filesChanged: (count) => `${count} 个文件有改动`,
  between: '，',
  end: '。',
  quiet: '一切平静。接下来做点什么？',
  ask: '接下来做点什么？',
  temporary: '临时对话'
}

export const homeRows: Words['homeRows'] = {
  waiting: '等你处理',
  finished: '已完成',
  now: '正在进行',
  markSeen: '全部标为已看',
  showAll: (count) => `显示全部 ${count} 项`,
  states: { done: '已完成', failed: '失败', stopped: '已停止' },
  failedTask: '任务失败',
  files: (count) => `${count} 个文件`,
  queued: (count) => `${count} 次运行在排队`,
  review: '查看',
  answer: '回答',
  open: '打开',
  tryOne: '比如',
  examples: [
    '看看这个文件夹里有什么，各部分是做什么用的。',
    '找一处可以更简洁的地方，改之前先给我看改动。',
    '每个工作日早上，用十行告诉我从昨天起有哪些变化。'
  ]
}
