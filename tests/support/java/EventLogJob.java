import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * A job of two stages and, where its second argument is a number of tasks and not `none`, of a third one. That ends, or
 * has one more task that does not, as the third argument says: `end` or `hang`. It makes the folder that is its first
 * argument, with a file at each step.
 */
public class EventLogJob {
  public static void main(String[] arguments) throws Exception {
    Path steps = Files.createDirectories(Paths.get(arguments[0]));
    try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
      context.parallelize(numbers(100), 4).mapToPair(i -> new Tuple2<>(i % 3, i)).reduceByKey(Integer::sum, 4).collect();
      Files.createFile(steps.resolve("two-stages"));
      if (!arguments[1].equals("none")) {
        thirdStage(context, Integer.parseInt(arguments[1]), arguments[2].equals("hang"), steps.toString());
      }
    }
    Files.createFile(steps.resolve("end"));
  }

  private static void thirdStage(JavaSparkContext context, int tasks, boolean hangs, String steps) {
    int all = hangs ? tasks + 1 : tasks;
    context.parallelize(numbers(all), all).foreach(i -> {
      if (i == tasks) {
        Files.createFile(Paths.get(steps, "last-task"));
        Thread.sleep(600_000);
      }
    });
  }

  private static List<Integer> numbers(int count) {
    return IntStream.range(0, count).boxed().collect(Collectors.toList());
  }
}
