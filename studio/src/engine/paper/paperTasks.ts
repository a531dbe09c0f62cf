/** The tasks of the view "The paper". */

import { borderTasks } from "./borderTasks";
import { doubleSparsityTasks } from "./doubleSparsityTasks";
import { planeAtomTasks } from "./planeAtomTasks";
import { pursuitTasks } from "./pursuitTasks";
import { raceTasks } from "./raceTasks";

export const paperTasks = {
  ...borderTasks,
  ...planeAtomTasks,
  ...doubleSparsityTasks,
  ...pursuitTasks,
  ...raceTasks,
};
