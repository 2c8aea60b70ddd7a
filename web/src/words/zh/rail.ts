import { type Words } from '../en/index.js'

const chats = (count: number): string => count === 1 ? '对话' : `${count} 个对话`

export const rail: Words['rail'] = {
  pin: '置顶',
  unpin: '取消置顶',
  rename: '重命名',
  move: '移到项目',
  newProject: '新建项目…',
  noProject: '不属于项目',
  branch: '创建分支',
  share: '分享',
  choose: '选择',
  archive: '归档',
  delete: '删除',
  export: '导出',
  newChatHere: '在此新建对话',
  colour: '颜色',
  setUp: '文件夹和指令…',
  project: {
    title: (name) => `项目“${name}”`,
    folder: '文件夹',
    folderHint: '新对话从这里开始。留空：默认文件夹。',
    instructions: '指令',
    instructionsHint: '智能体在此项目的每个对话中都会收到这些指令。',
    saved: (name) => `“${name}”已保存。`
  },
  removeProject: '移除',
  removeProjectNote: '其中的对话会保留。',
  colours: { green: '绿色', blue: '蓝色', purple: '紫色', olive: '橄榄色', brown: '棕色', grey: '灰色' },
  chosen: (count) => `已选 ${count} 个`,
  endChoosing: '结束选择',
  archived: (count) => `${chats(count)}已归档。`,
  deleted: (count) => `${chats(count)}已删除。`,
  moved: (count, project) => `${chats(count)}已移到“${project}”。`,
  movedOut: (count) => `${chats(count)}已移出项目。`,
  projectRemoved: (name) => `“${name}”已移除，其中的对话按日期列出。`
}
