import { type ScreenWords } from '../en/index.js'

export const queue: ScreenWords['queue'] = {
  title: (count) => `${count} 条消息排队中`,
  list: '排队的消息',
  held: {
    failed: '上一轮失败，队列在等你决定。',
    cancelled: '上一轮已被你停止，队列在等你决定。',
    budget: '预算已用完，队列在等你决定。',
    restored: '已从备份恢复，队列在等你决定。'
  },
  waiting: '你回答之后，队列会继续。',
  limit: '当前这一轮在等提供商的限额恢复，之后队列会继续。',
  goOn: '继续',
  drop: '全部丢弃',
  dropped: (count) => `已丢弃 ${count} 条排队的消息`,
  move: (text) => `移动“${text}”`,
  moveHint: '拖动，或按方向键。',
  moveUp: '上移',
  moveDown: '下移',
  moved: (place, of) => `已移到第 ${place} 位，共 ${of} 条`,
  more: (text) => `“${text}”的操作`,
  sendNow: '立即发送',
  addNow: '补充到正在进行的轮次',
  steered: '智能体已收到，会在下一步读到。',
  next: '这一轮无法接收，已排到下一个。',
  edit: '编辑',
  editing: '排队的消息',
  save: '保存',
  remove: '移除',
  removed: '已移出队列',
  files: (count) => `${count} 个文件`,
  from: (time) => `${time} 之后`,
  changedElsewhere: '这条消息已在别处改过。再次保存会替换那边的文字。',
  begun: '这条消息已离开队列，你的文字已放回输入框。'
}
