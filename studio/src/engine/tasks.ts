/** All tasks of the engine, by name. */

import { deviceTasks } from "./devices";
import { lookTasks } from "./lookTasks";
import { modelTasks } from "./models";
import { restoreTasks } from "./restoreTasks";
import { borderTasks } from "./paper/borders";
import { doubleSparsityTasks } from "./paper/doubleSparsity";
import { planeAtomTasks } from "./paper/planeAtoms";
import { pursuitTasks } from "./paper/pursuitSteps";
import { raceTasks } from "./paper/race";

export const tasks = {
  ...deviceTasks,
  ...modelTasks,
  ...lookTasks,
  ...restoreTasks,
  ...borderTasks,
  ...planeAtomTasks,
  ...doubleSparsityTasks,
  ...pursuitTasks,
  ...raceTasks,
};

export type Tasks = typeof tasks;
